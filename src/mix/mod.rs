//! Musical decisions as data: roles, styles, mix plan, master chain.
