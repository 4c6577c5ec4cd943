"""The comment for a pull request: what changed since the base, and whether it is more than chance.

It compares the files of this folder with the commit at which the branch left its base, as code hosts do, and
only reports of the same profile. What is read from files enters the comment as text, never as markup.
"""
