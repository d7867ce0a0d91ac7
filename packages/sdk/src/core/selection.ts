type NamesIn<List extends string> = List extends `${infer First},${infer Rest}` ? First | NamesIn<Rest> : List;
type Select<Whole, Fields> = Fields extends string ? Pick<Whole, NamesIn<Fields> & keyof Whole> : Whole;

/**
 * The part of a result that `fields` selects.
 * A text that is known only at run time may select anything, so then every field may be missing.
 */
export type Selected<Whole, Fields> = string extends Fields ? Partial<Whole> : Select<Whole, Fields>;
