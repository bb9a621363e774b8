output "endpoint" {
  description = "Base of clientConfig.url, for podgraft register --url"
  value       = local.conditions.has_domain ? "https://${var.domain_name}" : local.conditions.has_public_endpoint ? aws_apigatewayv2_api.webhook.api_endpoint : local.private_endpoint
}

output "private_endpoint" {
  description = "Base of clientConfig.url through the first of vpc_endpoint_ids; for another one, replace its id; null without them"
  value       = local.private_endpoint
}

output "snap_start" {
  description = "Whether SnapStart is in force; not in a region where Lambda has none for Python"
  value       = local.conditions.is_snap_start
}

output "domain_target" {
  description = "Target of the DNS record of domain_name (CNAME or alias); null without it"
  value       = local.conditions.has_domain ? aws_apigatewayv2_domain_name.webhook[0].domain_name_configuration[0].target_domain_name : null
}

output "bundle_bucket" {
  description = "Bucket of the bundles"
  value       = aws_s3_bucket.bundles.bucket
}

output "bundle_prefix" {
  description = "Prefix of the keys of bundles"
  value       = var.bundle_prefix
}

output "census_bucket" {
  description = "Bucket of recorded workloads, for podgraft policy preview --census; null without them"
  value       = local.conditions.is_recorded ? aws_s3_bucket.census[0].bucket : null
}

output "parameter_prefix" {
  description = "Prefix of the policies and token hashes in Parameter Store"
  value       = local.parameter_prefix
}

output "log_group" {
  description = "The log of the function"
  value       = aws_cloudwatch_log_group.webhook.name
}

output "watch_log_group" {
  description = "The log of the watch, with the results of synthetic reviews and the names of silent clusters"
  value       = aws_cloudwatch_log_group.watch.name
}

output "guard_arn" {
  description = "The guard of rollouts; add it to the actions of alarms of your own"
  value       = aws_lambda_function.guard.arn
}

output "function_alias" {
  description = "The alias that the API invokes"
  value       = aws_lambda_alias.live.arn
}

output "function_version" {
  description = "The version of the function that the alias invokes"
  value       = aws_lambda_alias.live.function_version
}
