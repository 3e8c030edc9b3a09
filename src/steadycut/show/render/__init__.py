"""What takes a page and writes it.

=============  ====================================================================
``html``       a page as one HTML file
``markdown``   a page as Markdown
``terminal``   a part of a page as plain text, in columns
``rerender``   the page of a JSON file that a command wrote
``notebook``   what objects show in a notebook, all made of their page
=============  ====================================================================
"""
