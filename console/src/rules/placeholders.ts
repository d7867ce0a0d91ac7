// Finds what a poster still has to fill in after starting from a template.

/** Templates mark what the poster should fill in like this. */
const PLACEHOLDER = /…|\(Example: /;

interface TaskTexts {
	readonly title: string;
	readonly description?: string | null;
	readonly input_spec?: string | null;
	readonly output_spec?: string | null;
}

/** Returns the names of the texts that still contain a placeholder. */
export function findPlaceholders({ title, description, input_spec, output_spec }: TaskTexts): readonly string[] {
	const texts = { title, description, input: input_spec, output: output_spec };
	return Object.entries(texts).flatMap(([name, text]) => (PLACEHOLDER.test(text ?? "") ? [name] : []));
}
