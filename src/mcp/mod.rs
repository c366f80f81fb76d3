//! A second front door: the Model Context Protocol over stdio.
