"""What users see: documents as pages, figures and short texts.

A document becomes a page once, and three renderers take it: html, markdown and terminal.

=============  ====================================================================
``numbers``    how every number is written
``columns``    numbers and names in columns
``sentences``  results as sentences
``page``       what a page is made of
``builders``   sections, tables, figures and files of a page, each in one call
``sections``   the parts of pages
``figures``    one module per figure
``drawing``    the axes on which a page draws them, without matplotlib
``pages``      one module per kind of document: its page
``html``       a page as one HTML file
``svg``        the figures inside it
``markdown``   a page as Markdown
``terminal``   a part of a page as plain text
``rerender``   the page of a JSON file that a command wrote
``notebook``   what objects show in a notebook, all made of their page
``applied``    what a frozen file decided about the patients of a table, in one line
=============  ====================================================================
"""
