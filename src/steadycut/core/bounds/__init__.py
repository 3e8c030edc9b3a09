"""Upper bounds on risk, and on how much risk a wrong threshold can cost."""
