final class Bill {
  static long[] split(long total, int people) {
    long[] amounts = new long[people];
    long each = total / people;
    for (int i = 0; i < people - 1; i++) amounts[i] = each;
    amounts[people - 1] = total - each * (people - 1);
    return amounts;
  }
}
