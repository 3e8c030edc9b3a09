"""The kinds of tables that can be read: files, frames, AnnData and Arrow."""
