#define N 64
static unsigned char data[N];
static int head, tail;

int put(unsigned char b)
{
	int next = (head + 1) % N;
	if (next == tail)
		return 0;
	data[head] = b;
	head = next;
	return 1;
}

int get(unsigned char *b)
{
	if (head == tail)
		return 0;
	*b = data[tail];
	tail = (tail + 1) % N;
	return 1;
}
