/** The version of this release. test/contract/version.test.ts compares it with those of the packages. */
export const VERSION = "1.0.0";
