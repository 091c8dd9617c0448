"""Browser tests of the modules that all pages share."""
