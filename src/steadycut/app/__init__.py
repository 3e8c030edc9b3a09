"""The page on this machine: choose a cut-off, audit it, use it, watch it, plan the next study.

Nothing leaves the machine. The modules, in the order in which a request passes them:

===============  ==================================================================
``serve``        a socket, a token, a private folder, and the server
``guard``        who may ask: this machine, this page, this token; headers of answers
``routes``       what is asked, what is done, and which page is shown
``uploads``      files from the browser, saved in a private folder
``works``        what the app can do: one entry per command
``fields``       the options of a command as the fields of a form, and back
``jobs``         uploads, and the command that runs on them in its own process
``told``         what a result says, and what to do next
``rules``        the rules of all studies, and those that were uploaded
``pages``        templates filled in as HTML
===============  ==================================================================
"""
