static unsigned char bytes[64];
static unsigned long in, out;

void put(unsigned char c) { bytes[in++ & 63] = c; }
int get(void) { return out < in ? bytes[out++ & 63] : -1; }
