/*
 * A ring buffer of 64 bytes for one producer and one consumer.
 *
 * Both counters run freely and are reduced only at the access, where the position wraps around at the end.
 * That tells a full buffer from an empty one, so all 64 bytes can be used.
 */
#include <stdbool.h>

#define SIZE 64u

static unsigned char bytes[SIZE];
static unsigned written, taken;

/* Putting into a full buffer fails, and overwrites nothing. */
bool put(unsigned char byte)
{
	if (written - taken == SIZE)
		return false;
	bytes[written++ % SIZE] = byte;
	return true;
}

/* Getting from an empty buffer is reported to the caller by -1. */
int get(void)
{
	if (written == taken)
		return -1;
	return bytes[taken++ % SIZE];
}
