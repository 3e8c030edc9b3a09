# What OptimalCutpoints and cutpointr answer on a table of scores: every criterion, as JSON on stdout.
#
#     Rscript tests/reference/criteria.R tests/reference/criteria.json > new.json
#
# The file holds {"counts": {NAME: [[score, negative, positive], ...]}}, random tied cohorts, and is written
# anew with the answers to them; with the argument "own" the packages' own data sets (suicide, prostate_nodal, elas) are taken instead. For each answer: all tied
# cut-offs (a patient is called at score >= cut-off; null is "call nobody"), TP and FP there, and the
# criterion's value. OC is OptimalCutpoints, cp cutpointr.
suppressPackageStartupMessages({library(OptimalCutpoints); library(cutpointr); library(KernSmooth); library(jsonlite)})
options(warn = -1)

expand <- function(counts) data.frame(
  x = rep(counts[, 1], counts[, 2] + counts[, 3]),
  y = unlist(Map(function(n0, n1) rep(c(0, 1), c(n0, n1)), counts[, 2], counts[, 3])))

own_sets <- function() {
  data(suicide, package = "cutpointr"); data(prostate_nodal, package = "cutpointr")
  data(elas, package = "OptimalCutpoints")
  list(suicide = data.frame(x = suicide$dsi, y = as.integer(suicide$suicide == "yes")),
       prostate_nodal = data.frame(x = prostate_nodal$acid_phosphatase,
                                   y = as.integer(prostate_nodal$nodal_involvement)),
       elas = data.frame(x = elas$elas, y = as.integer(elas$status)))
}

answer <- function(cuts, value, called) {
  cuts <- unname(as.numeric(cuts)); order <- order(cuts)
  cuts[is.infinite(cuts)] <- NA
  list(cuts = as.list(cuts[order]), tp = as.list(unname(called$tp)[order]), fp = as.list(unname(called$fp)[order]),
       value = if (is.null(value)) NA else unname(value)[1])
}
attempt <- function(expr) tryCatch(expr, error = function(e) list(error = conditionMessage(e)))

oc <- function(d, method, pop.prev = NULL, ...) attempt({
  r <- optimal.cutpoints(X = "x", status = "y", tag.healthy = 0, methods = method, data = d,
                         pop.prev = pop.prev, control = control.cutpoints(...))[[method]]$Global
  best <- r$optimal.cutoff
  answer(best$cutoff, r$optimal.criterion, list(tp = round(best$Se[, 1] * sum(d$y == 1)),
                                                fp = round((1 - best$Sp[, 1]) * sum(d$y == 0))))
})
cp <- function(d, metric, minimise = FALSE, ...) attempt({
  run <- function(method) cutpointr(d, x, y, pos_class = 1, neg_class = 0, direction = ">=", method = method,
                                    metric = metric, break_ties = c, tol_metric = 1e-10, silent = TRUE, ...)
  r <- if (minimise) run(minimize_metric) else run(maximize_metric)
  cuts <- unlist(r$optimal_cutpoint); curve <- r$roc_curve[[1]]
  answer(cuts, unlist(r[[4]]), curve[match(cuts, curve$x.sorted), ])
})

kernel <- function(d) attempt({
  r <- cutpointr(d, x, y, pos_class = 1, neg_class = 0, direction = ">=", method = oc_youden_kernel, silent = TRUE)
  list(cuts = as.list(unlist(r$optimal_cutpoint)))
})

criteria <- function(d) list(
  OC = list(
    CB = oc(d, "CB", costs.ratio = 0.5), MCT = oc(d, "MCT", CFN = 3, CFP = 2),
    MinValueSp = oc(d, "MinValueSp"), MinValueSe = oc(d, "MinValueSe"),
    ValueSp = oc(d, "ValueSp"), ValueSe = oc(d, "ValueSe"),
    MinValueSpSe = oc(d, "MinValueSpSe", valueSp = 0.5, valueSe = 0.5),
    MinValueSpSe_maxSe = oc(d, "MinValueSpSe", valueSp = 0.5, valueSe = 0.5, maxSp = FALSE),
    MaxSp = oc(d, "MaxSp"), MaxSe = oc(d, "MaxSe"), MaxSpSe = oc(d, "MaxSpSe"),
    MaxProdSpSe = oc(d, "MaxProdSpSe"), ROC01 = oc(d, "ROC01"), SpEqualSe = oc(d, "SpEqualSe"),
    Youden = oc(d, "Youden"), Youden_generalised = oc(d, "Youden", generalized.Youden = TRUE, CFN = 3, CFP = 2),
    Youden_costs_benefits = oc(d, "Youden", costs.benefits.Youden = TRUE),
    MaxEfficiency = oc(d, "MaxEfficiency"), Minimax = oc(d, "Minimax"),
    Minimax_maxSe = oc(d, "Minimax", maxSp = FALSE), MaxDOR = oc(d, "MaxDOR"),
    MaxKappa = oc(d, "MaxKappa"), MaxKappa_weighted = oc(d, "MaxKappa", weighted.Kappa = TRUE, CFN = 3, CFP = 2),
    MinValueNPV = oc(d, "MinValueNPV", valueNPV = 0.6), MinValuePPV = oc(d, "MinValuePPV", valuePPV = 0.6),
    ValueNPV = oc(d, "ValueNPV"), ValuePPV = oc(d, "ValuePPV"),
    MinValueNPVPPV = oc(d, "MinValueNPVPPV", valueNPV = 0.5, valuePPV = 0.5),
    MinValueNPVPPV_maxPPV = oc(d, "MinValueNPVPPV", valueNPV = 0.5, valuePPV = 0.5, maxNPV = FALSE),
    PROC01 = oc(d, "PROC01"), NPVEqualPPV = oc(d, "NPVEqualPPV"), MaxNPVPPV = oc(d, "MaxNPVPPV"),
    MaxSumNPVPPV = oc(d, "MaxSumNPVPPV"), MaxProdNPVPPV = oc(d, "MaxProdNPVPPV"),
    ValueDLR.Negative = oc(d, "ValueDLR.Negative"), ValueDLR.Positive = oc(d, "ValueDLR.Positive"),
    MinPvalue = oc(d, "MinPvalue"), MinPvalue_PALT5 = oc(d, "MinPvalue", adjusted.pvalue = "PALT5"),
    MinPvalue_PALT10 = oc(d, "MinPvalue", adjusted.pvalue = "PALT10"),
    ObservedPrev = oc(d, "ObservedPrev"), MeanPrev = oc(d, "MeanPrev"),
    PrevalenceMatching = oc(d, "PrevalenceMatching"),
    MaxKappa_at_0.1 = oc(d, "MaxKappa", pop.prev = 0.1), ValuePPV_at_0.1 = oc(d, "ValuePPV", pop.prev = 0.1),
    MaxProdNPVPPV_at_0.1 = oc(d, "MaxProdNPVPPV", pop.prev = 0.1),
    MaxEfficiency_at_0.1 = oc(d, "MaxEfficiency", pop.prev = 0.1)),
  cp = list(
    accuracy = cp(d, accuracy), youden = cp(d, youden), sum_sens_spec = cp(d, sum_sens_spec),
    sum_ppv_npv = cp(d, sum_ppv_npv), prod_sens_spec = cp(d, prod_sens_spec),
    prod_ppv_npv = cp(d, prod_ppv_npv), cohens_kappa = cp(d, cohens_kappa),
    abs_d_sens_spec = cp(d, abs_d_sens_spec, TRUE), roc01 = cp(d, roc01, TRUE),
    abs_d_ppv_npv = cp(d, abs_d_ppv_npv, TRUE), p_chisquared = cp(d, p_chisquared, TRUE),
    odds_ratio = cp(d, odds_ratio), risk_ratio = cp(d, risk_ratio), plr = cp(d, plr), nlr = cp(d, nlr, TRUE),
    misclassification_cost = cp(d, misclassification_cost, TRUE, cost_fn = 3, cost_fp = 2),
    total_utility = cp(d, total_utility, utility_tp = 2, utility_tn = 1, cost_fn = 3, cost_fp = 2),
    F1_score = cp(d, F1_score), Jaccard = cp(d, Jaccard), ppv = cp(d, ppv), npv = cp(d, npv),
    sens_constrain = cp(d, sens_constrain, min_constrain = 0.7),
    spec_constrain = cp(d, spec_constrain, min_constrain = 0.7),
    acc_constrain = cp(d, acc_constrain, min_constrain = 0.7),
    metric_constrain = cp(d, metric_constrain, main_metric = F1_score, constrain_metric = specificity,
                          min_constrain = 0.7),
    oc_youden_kernel = kernel(d)))

asked <- commandArgs(TRUE)[1]
sets <- if (asked == "own") own_sets() else lapply(fromJSON(asked)$counts, expand)
json <- function(value) toJSON(value, auto_unbox = TRUE, digits = NA, na = "null", null = "null")
block <- function(entries) paste0("{\n", paste0("  ", json_names(entries), ": ", entries, collapse = ",\n"), "\n}")
json_names <- function(entries) sapply(names(entries), json)
one_a_line <- function(found) block(sapply(unlist(found, recursive = FALSE), json))
counts_of <- function(d) {
  table <- table(d$x, factor(d$y, 0:1))
  unname(cbind(as.numeric(rownames(table)), table[, 1], table[, 2]))
}
cat(block(c(
  made_by = json(paste(R.version.string, "OptimalCutpoints", packageVersion("OptimalCutpoints"),
                       "cutpointr", packageVersion("cutpointr"))),
  counts = json(lapply(sets, counts_of)),
  answers = block(sapply(lapply(sets, criteria), one_a_line)))), "\n")
