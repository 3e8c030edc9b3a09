# Use steadycut from R. Base R is enough.

# Run a command: steadycut("fit", "table.csv", "--score", "x"). Stop if it fails.
steadycut <- function(...) {
  status <- system2("steadycut", shQuote(c(...)))
  if (status != 0) stop("steadycut ended with exit code ", status, call. = FALSE)
}

# Read the cut-off of a rule.json. Each field of the file has its own line, after one space.
read_rule <- function(path) {
  lines <- readLines(path, encoding = "UTF-8")
  field <- function(name) {
    line <- grep(paste0('^ "', name, '": '), lines, value = TRUE)
    sub('^ "[a-z]+": "?(.*?)"?,?$', "\\1", line, perl = TRUE)
  }
  if (!identical(field("schema"), "steadycut.rule/1") || field("ensemble") != "null")
    stop(path, " is not a rule with one cut-off for one score: use steadycut apply", call. = FALSE)
  # A rule that calls everybody or nobody has a text in place of a number.
  ends <- c("below every score" = -Inf, "above every score" = Inf)
  value <- field("threshold")
  threshold <- if (value %in% names(ends)) ends[[value]] else as.numeric(value)
  list(threshold = threshold, direction = field("direction"))
}

# Decide: 1 for each patient who is called, else 0. Give one score per patient.
decide <- function(rule, score) {
  if (!is.numeric(score) || !all(is.finite(score)))
    stop("some patients have no number as score", call. = FALSE)
  as.integer(if (rule$direction == "ge") score >= rule$threshold else score <= rule$threshold)
}
