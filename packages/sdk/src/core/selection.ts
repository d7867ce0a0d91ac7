type NamesIn<List extends string> = List extends `${infer First},${infer Rest}` ? First | NamesIn<Rest> : List;
type Select<Whole, Fields> = Fields extends string ? Pick<Whole, NamesIn<Fields> & keyof Whole> : Whole;

/** The part of a result that `fields` selects. If `fields` is known only at run time, any field may be missing. */
export type Selected<Whole, Fields> = string extends Fields ? Partial<Whole> : Select<Whole, Fields>;
