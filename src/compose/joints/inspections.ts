// Before a submission is judged, these look at its files, in this order.
import { textInspection } from "../../extensions/similarity/inspect-text.ts";
import type { Inspection } from "../../ports/joints.ts";

export const INSPECTIONS: readonly Inspection[] = [textInspection];
