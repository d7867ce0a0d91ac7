ALTER TABLE `deals` ADD `task_title` text DEFAULT '' NOT NULL;
--> statement-breakpoint
UPDATE `deals` SET `task_title` = coalesce((SELECT `title` FROM `task_cards` WHERE `task_cards`.`id` = `deals`.`task_id`), '');
