locals {
  permissions = jsondecode(templatefile("${path.module}/permissions.json.tftpl", local.context))
}

resource "aws_lambda_layer_version" "dependencies" {
  layer_name               = "${var.name}-libraries"
  description              = "Third-party packages of podgraft"
  filename                 = var.archives.dependencies
  source_code_hash         = filebase64sha256(var.archives.dependencies)
  compatible_runtimes      = [var.runtime]
  compatible_architectures = [var.architecture]
}

resource "aws_lambda_layer_version" "engine" {
  layer_name               = "${var.name}-engine"
  description              = "The podgraft package"
  filename                 = var.archives.engine
  source_code_hash         = filebase64sha256(var.archives.engine)
  compatible_runtimes      = [var.runtime]
  compatible_architectures = [var.architecture]
}

resource "aws_lambda_function" "webhook" {
  function_name                  = var.name
  description                    = "Serves AdmissionReviews of Kubernetes clusters"
  filename                       = var.archives.function
  source_code_hash               = filebase64sha256(var.archives.function)
  handler                        = "handler.handler"
  role                           = aws_iam_role.webhook.arn
  runtime                        = var.runtime
  architectures                  = [var.architecture]
  memory_size                    = var.memory_size
  timeout                        = 30
  layers                         = [aws_lambda_layer_version.dependencies.arn, aws_lambda_layer_version.engine.arn]
  publish                        = true
  reserved_concurrent_executions = var.reserved_concurrency
  code_signing_config_arn        = local.conditions.has_code_signing ? var.code_signing_config_arn : null
  tags                           = local.tags

  environment {
    variables = jsondecode(templatefile("${path.module}/environment.json.tftpl", local.context))
  }
  logging_config {
    log_group             = aws_cloudwatch_log_group.webhook.name
    log_format            = "JSON"
    application_log_level = "INFO"
    system_log_level      = "WARN"
  }
  tracing_config {
    mode = var.tracing
  }
  dynamic "snap_start" {
    for_each = local.conditions.is_snap_start ? [true] : []
    content {
      apply_on = "PublishedVersions"
    }
  }
  lifecycle {
    # The rules of template.yaml.
    precondition {
      condition     = var.reserved_concurrency != 0
      error_message = "reserved_concurrency 0 stops all reviews; use 1 or more, or -1 for none."
    }
    precondition {
      condition     = var.start_mode != "provisioned" || var.reserved_concurrency < 1 || var.provisioned_concurrency <= var.reserved_concurrency
      error_message = "provisioned_concurrency is above reserved_concurrency; provision at most what the function reserves."
    }
    precondition {
      condition     = var.require_signature != "true" || var.signer_public_key != ""
      error_message = "require_signature true requires signer_public_key."
    }
    precondition {
      condition     = var.auth != "mtls" || (local.conditions.has_domain && local.conditions.has_truststore)
      error_message = "auth mtls requires domain_name and truststore_uri."
    }
  }
  depends_on = [
    aws_iam_role_policy.webhook,
    aws_iam_role_policy.census,
    aws_iam_role_policy.without_census,
    aws_iam_role_policy.tracing,
  ]
}

resource "aws_lambda_alias" "live" {
  name             = "live"
  function_name    = aws_lambda_function.webhook.function_name
  function_version = aws_lambda_function.webhook.version
}

resource "aws_lambda_provisioned_concurrency_config" "live" {
  count                             = local.conditions.is_provisioned ? 1 : 0
  function_name                     = aws_lambda_function.webhook.function_name
  qualifier                         = aws_lambda_alias.live.name
  provisioned_concurrent_executions = var.provisioned_concurrency
}

resource "aws_iam_role" "webhook" {
  name_prefix          = "${substr(var.name, 0, 30)}-"
  description          = "Permissions of the webhook"
  permissions_boundary = local.conditions.has_permissions_boundary ? var.permissions_boundary_arn : null
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  tags = local.tags
}

resource "aws_iam_role_policy" "webhook" {
  name = "webhook"
  role = aws_iam_role.webhook.id
  policy = jsonencode(merge(local.permissions.webhook, {
    Statement = concat(
      local.permissions.webhook.Statement,
      # No resource of its own: a plan that also creates the key does not know its ARN.
      [for each in local.permissions.encryption.Statement : each if local.conditions.has_kms_key],
      [for each in local.permissions.census_encryption.Statement : each if local.conditions.is_recorded_with_kms_key],
    )
  }))
}

resource "aws_iam_role_policy" "census" {
  count  = local.conditions.is_recorded ? 1 : 0
  name   = "census"
  role   = aws_iam_role.webhook.id
  policy = jsonencode(local.permissions.census)
}

resource "aws_iam_role_policy" "without_census" {
  count  = local.conditions.is_unrecorded ? 1 : 0
  name   = "without_census"
  role   = aws_iam_role.webhook.id
  policy = jsonencode(local.permissions.without_census)
}

resource "aws_iam_role_policy" "tracing" {
  count  = local.conditions.is_traced ? 1 : 0
  name   = "tracing"
  role   = aws_iam_role.webhook.id
  policy = jsonencode(local.permissions.tracing)
}

resource "aws_cloudwatch_log_group" "webhook" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}
