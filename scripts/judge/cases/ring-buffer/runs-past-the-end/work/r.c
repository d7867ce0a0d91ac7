char b[64]; int i, j;
void put(char c) { b[i++] = c; }
int get(void) { return b[j++]; }
