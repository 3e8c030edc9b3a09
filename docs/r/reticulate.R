library(reticulate)
steadycut <- import("steadycut", convert = FALSE)

patients <- steadycut$aggregate("patients.csv", patient = "patient", score = "marker", label = "ill")
study <- steadycut$fit(patients, cost_fn = 3)
cat("Cut-off", py_to_r(study$threshold), "with certified cost", py_to_r(study$certificate$value), "\n")

rule <- study$freeze()
invisible(rule$save("rule.json"))
new <- read.csv("new.csv")
new$decision <- py_to_r(rule$decide("new.csv")["decision"]$tolist())
print(new)
