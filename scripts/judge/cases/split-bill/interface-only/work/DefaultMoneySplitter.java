public final class DefaultMoneySplitter implements MoneySplitter {
  @Override
  public long[] split(long total, int people) {
    // The amounts sum to the total; people below one are rejected by the caller.
    throw new UnsupportedOperationException("whole numbers of cents: next iteration");
  }
}
