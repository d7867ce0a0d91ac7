import { sql } from "drizzle-orm";

/** All switches that were ever changed, as JSON for `parseSwitches` of the feature `switches`. */
export const allSwitches = sql<string>`(select json_group_array(json_array(name, is_on, message, revision)) from switches)`;

/** A column for the look-up of a credential, so that a request with one needs no read of the switches. */
export const switchesSeen = allSwitches.as("switches_seen");
