# Rscript peers.R PACKAGE TABLE REPLICATES SEED: one line of JSON, seconds and threshold.
arguments <- commandArgs(trailingOnly = TRUE)
package <- arguments[[1]]
patients <- read.csv(arguments[[2]])
replicates <- as.integer(arguments[[3]])
set.seed(as.integer(arguments[[4]]))
suppressPackageStartupMessages(suppressWarnings(library(package, character.only = TRUE)))

cutpointr_run <- function() {
  found <- suppressMessages(cutpointr(
    x = patients$score, class = patients$label, pos_class = 1, direction = ">=",
    method = maximize_metric, metric = accuracy, boot_runs = replicates
  ))
  found$optimal_cutpoint[[1]]
}

proc_run <- function() {
  curve <- roc(patients$label, patients$score, levels = c(0, 1), direction = "<", quiet = TRUE)
  suppressWarnings(ci.coords(
    curve, x = "best", best.method = "youden", best.policy = "random",
    ret = "threshold", boot.n = replicates, boot.stratified = FALSE, progress = "none"
  ))
  coords(curve, x = "best", best.method = "youden", ret = "threshold")$threshold[[1]]
}

run <- list(cutpointr = cutpointr_run, pROC = proc_run)[[package]]
started <- proc.time()[["elapsed"]]
threshold <- run()
seconds <- proc.time()[["elapsed"]] - started
cat(sprintf('{"seconds": %.6f, "threshold": %.10g}\n', seconds, threshold))
