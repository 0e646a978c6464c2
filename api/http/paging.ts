/** `page` and `size` of every paged list (docs/decisions.md, "page sizes"). */
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';

export interface PageQuery {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** Spread these into `query({…})`. */
export const pageFields = {
  page: Joi.int32().min(1).default(1).description('Page of the list, from 1. Newest first.'),
  size: Joi.int32().min(1).max(limits.pageSizeMax).default(limits.pageSizeDefault).description('Items per page.'),
};
