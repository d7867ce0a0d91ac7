/** The texts of a task that a file can belong to. */
export const ATTACHMENT_FIELDS = ["description", "input_spec", "output_spec"] as const;
