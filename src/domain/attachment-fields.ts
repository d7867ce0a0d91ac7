/** A file can belong to one of these texts of a task. */
export const ATTACHMENT_FIELDS = ["description", "input_spec", "output_spec"] as const;
