/** Splits money between people. */
public interface MoneySplitter {
  /**
   * Returns amounts in whole numbers of cents, never floating point. They always
   * sum to the total, and no two amounts differ by more than one cent.
   *
   * @throws IllegalArgumentException if the number of people is below one; it is rejected
   */
  long[] split(long total, int people);
}
