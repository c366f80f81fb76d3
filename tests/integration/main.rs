mod mix;
