/** A criterion describes these levels in its own words. */
export const ANCHOR_LEVELS = ["1", "3", "5"] as const;

/** A criterion says what levels 1, 3 and 5 mean for it. */
export type Anchors = Readonly<Record<(typeof ANCHOR_LEVELS)[number], string>>;

/** A judge answers each check from the files with one of these. */
export const CHECK_FINDINGS = ["yes", "partly", "no"] as const;

export type CheckFinding = (typeof CHECK_FINDINGS)[number];

/** Contract: additions, section 14. */
export const CHECK_LIMITS = { perCriterion: 8, characters: 300, anchorCharacters: 500 } as const;
