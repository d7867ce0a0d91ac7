// Queries about one task.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";

export const taskKey = (id: string) => ["task", id] as const;

export const taskQuery = (id: string) => queryOptions({ queryKey: taskKey(id), queryFn: () => api.getTask(id) });

/** Reads the findings of the rubric's lint. The rubric is a part of the key, so that another rubric is looked at again. */
export const lintQuery = (id: string, rubric: string) =>
	queryOptions({
		queryKey: [...taskKey(id), "lint", rubric],
		queryFn: () => api.lintTask(id),
		staleTime: Number.POSITIVE_INFINITY,
	});
