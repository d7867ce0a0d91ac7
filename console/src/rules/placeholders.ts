// Finds what the author of a task still has to fill in after beginning with a template.

/** Every place of a template that the poster should fill in has one of these marks. */
const PLACEHOLDER = /…|\(Example: /;

interface TaskTexts {
	readonly title: string;
	readonly description?: string | null;
	readonly input_spec?: string | null;
	readonly output_spec?: string | null;
}

/** Names the texts of a task that still contain a placeholder. */
export function findPlaceholders({ title, description, input_spec, output_spec }: TaskTexts): readonly string[] {
	const texts = { title, description, input: input_spec, output: output_spec };
	return Object.entries(texts).flatMap(([name, text]) => (PLACEHOLDER.test(text ?? "") ? [name] : []));
}
