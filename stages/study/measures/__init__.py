"""The measures of a classifier, one file each."""
