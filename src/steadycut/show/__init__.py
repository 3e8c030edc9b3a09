"""What users see: documents as pages, figures and short texts.

A document becomes a page once, and three renderers take it: html, markdown and terminal.

=============  ====================================================================
``words``      every sentence, and how numbers are written
``figures``    one module per figure
``svg``        the axes on which a page draws them, without matplotlib
``sections``   the parts of pages
``pages``      one module per kind of document: its page
``render``     a page as HTML, Markdown, plain text, or in a notebook
=============  ====================================================================
"""
