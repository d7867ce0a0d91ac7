// The inspections of a submission's files before it is judged, in order.
import { textInspection } from "../../extensions/similarity/inspect-text.ts";
import type { Inspection } from "../../ports/joints.ts";

export const INSPECTIONS: readonly Inspection[] = [textInspection];
