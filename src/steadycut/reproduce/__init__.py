"""The paper's figures and tables, rebuilt from their descriptions."""
