# What R's maxstat answers on stored cohorts, and on its own example: Rscript maxstat.R COHORTS ANSWERS
# COHORTS is JSON: a list of {scores, time, event}.
suppressMessages({library(jsonlite); library(maxstat); library(survival)})
arguments <- commandArgs(trailingOnly = TRUE)
answer <- function(data) {
  found <- maxstat.test(Surv(time, event) ~ scores, data = data, smethod = "LogRank", pmethod = "Lau94")
  list(threshold = unname(found$estimate), statistic = unname(found$statistic), p_value = found$p.value)
}
cohorts <- fromJSON(arguments[1], simplifyDataFrame = FALSE)
data("DLBCL", package = "maxstat")
own <- na.omit(data.frame(scores = DLBCL$MGE, time = DLBCL$time, event = DLBCL$cens))
answers <- list(
  cohorts = lapply(cohorts, function(one) answer(as.data.frame(one))),
  dlbcl = c(answer(own), as.list(own))
)
write_json(answers, arguments[2], digits = 15, auto_unbox = TRUE)
