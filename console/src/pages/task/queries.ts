// Queries about one task.
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";

export const taskKey = (id: string) => ["task", id] as const;

export const taskQuery = (id: string) =>
	queryOptions({ queryKey: taskKey(id), queryFn: () => unwrap(api.GET("/api/v1/tasks/{id}", { params: { path: { id } } })) });

/** What the rules of the rubric say. The rubric is a part of the key, so that another rubric is looked at again. */
export const lintQuery = (id: string, rubric: string) =>
	queryOptions({
		queryKey: [...taskKey(id), "lint", rubric],
		queryFn: () => unwrap(api.POST("/api/v1/tasks/{id}/lint", { params: { path: { id } } })),
		staleTime: Number.POSITIVE_INFINITY,
	});
