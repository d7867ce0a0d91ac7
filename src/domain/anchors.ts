/** A criterion describes these levels in its own words. */
export const ANCHOR_LEVELS = ["1", "3", "5"] as const;

/** A criterion says what levels 1, 3 and 5 mean for it. */
export type Anchors = Readonly<Record<(typeof ANCHOR_LEVELS)[number], string>>;

/** Contract: additions, section 14. */
export const CHECK_LIMITS = { perCriterion: 8, characters: 300, anchorCharacters: 500 } as const;
