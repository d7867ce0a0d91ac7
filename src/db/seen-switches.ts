import { sql } from "drizzle-orm";

/** Selects all switches that were ever changed, as JSON for `parseSwitches` of the feature `switches`. */
export const allSwitches = sql<string>`(select json_group_array(json_array(name, is_on, message, revision)) from switches)`;

/** The look-up of a credential has this column, so that its request needs no other read of the switches. */
export const switchesSeen = allSwitches.as("switches_seen");
