/** The version of this release. test/contract/version.test.ts compares it with the packages' versions. */
export const VERSION = "1.0.0";
