# variables.tf.json has a variable for each parameter of template.yaml.

variable "name" {
  type        = string
  description = "Name of the stack: names of resources, the default parameter prefix, and the field service of the log."
  validation {
    condition     = can(regex("^[a-zA-Z][-a-zA-Z0-9]{0,39}$", var.name))
    error_message = "Use 1 to 40 letters, digits, and -; the first one is a letter."
  }
}

variable "archives" {
  type = object({
    dependencies = string
    engine       = string
    function     = string
    cleanup      = string
    guard        = string
    rotation     = string
    watch        = string
  })
  description = "Paths of the archives of a release, or of those that layers/make_archives.py builds."
}

variable "tags" {
  type        = map(string)
  default     = {}
  description = "Tags of all resources."
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  parameter_prefix = var.parameter_prefix == "" ? "/${var.name}" : var.parameter_prefix
  partition        = data.aws_partition.current.partition
  region           = data.aws_region.current.id
  tags             = merge({ app = "podgraft" }, var.tags)
  # What the templates of this module can use.
  context = merge(local.parameters, local.conditions, {
    account_id    = data.aws_caller_identity.current.account_id
    api_log_group = aws_cloudwatch_log_group.api.name
    bucket        = aws_s3_bucket.bundles.bucket
    bucket_arn    = aws_s3_bucket.bundles.arn
    # Empty without a census. The names are variables of templates, which need a value.
    census_bucket     = local.conditions.is_recorded ? aws_s3_bucket.census[0].bucket : ""
    census_bucket_arn = local.conditions.is_recorded ? aws_s3_bucket.census[0].arn : ""

    log_group        = aws_cloudwatch_log_group.webhook.name
    log_group_arn    = "${aws_cloudwatch_log_group.webhook.arn}:*"
    name             = var.name
    parameter_prefix = local.parameter_prefix
    partition        = local.partition
    region           = local.region
    watch_log_group  = aws_cloudwatch_log_group.watch.name
  })
}
