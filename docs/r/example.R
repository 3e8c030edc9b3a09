source("steadycut.R")

set.seed(1)
patients <- data.frame(patient = sprintf("P%03d", 1:300), ill = rbinom(300, 1, 0.4))
patients$marker <- round(rnorm(300) + 1.4 * patients$ill, 2)
write.csv(patients, "patients.csv", row.names = FALSE)

# Choose and certify the cut-off. A missed patient costs three times as much as a false alarm.
steadycut("fit", "patients.csv", "--patient", "patient", "--score", "marker", "--label", "ill",
          "--cost-fn", "3", "--out", "study")

# Decide on new patients: in R, and with the command.
rule <- read_rule("study/rule.json")
writeLines(c("patient,marker", "N1,-0.5", "N2,0.585", "N3,2"), "new.csv")
new <- read.csv("new.csv")
new$decision <- decide(rule, new$marker)
print(new)

steadycut("apply", "study/rule.json", "new.csv", "--out", "decisions.csv")
written <- read.csv("decisions.csv")  # in the order of the identifiers
stopifnot(new$decision == written$decision[match(new$patient, written$patient)])
