"""The rules that choose one of the cuts.

===================  ================================================================
``criteria``         every criterion, as a function of the counts at each cut
``peers``            what other packages call a rule
``best_criterion``   the rule that takes the best cut by a criterion, within limits
``ties``             of several best cuts, the middle of the widest flat stretch
``rank_logistic``    where the costs of both classes are even, by a line on the ranks
``stable``           the default rule: between the mean of all cuts and that line
``logistic``         a logistic regression on the score, cut where the costs say
``next_site``        a mean sensitivity, or specificity, at the next of several sites
``score_rules``      rules that use the scores themselves: mean score, prevalence
``kernel_youden``    Youden's index from kernel estimates of the two classes
``registry``         all rules by name, and how a name is read
``pruning``          the stretch of cuts that can matter to a rule
===================  ================================================================
"""
