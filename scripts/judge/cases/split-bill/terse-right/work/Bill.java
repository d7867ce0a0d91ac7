final class Bill {
  static long[] split(long cents, int people) {
    if (people < 1) throw new IllegalArgumentException("people");
    long[] out = new long[people];
    for (int i = 0; i < people; i++) out[i] = cents / people + (i < cents % people ? 1 : 0);
    return out;
  }
}
