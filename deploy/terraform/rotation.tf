# The rotation of tokens: it replaces the tokens of clusters with a secret.
locals {
  rotation = merge(local.context, {
    # Empty without a rotation. Templates need a value.
    rotation_log_group_arn = join("", [for each in aws_cloudwatch_log_group.rotation : "${each.arn}:*"])
  })
  rotation_permissions = jsondecode(templatefile("${path.module}/rotation_permissions.json.tftpl", local.rotation))
}

resource "aws_lambda_function" "rotation" {
  count                   = local.conditions.rotates ? 1 : 0
  function_name           = "${var.name}-rotation"
  description             = "Replaces old tokens of clusters with a secret"
  filename                = var.archives.rotation
  source_code_hash        = filebase64sha256(var.archives.rotation)
  handler                 = "podgraft.cli.fleet.scheduled.handler"
  role                    = aws_iam_role.rotation[0].arn
  runtime                 = var.runtime
  architectures           = [var.architecture]
  memory_size             = 512
  timeout                 = 600
  code_signing_config_arn = local.conditions.has_code_signing ? var.code_signing_config_arn : null
  layers                  = [aws_lambda_layer_version.dependencies.arn]
  tags                    = local.tags

  environment {
    variables = jsondecode(templatefile("${path.module}/rotation_environment.json.tftpl", local.rotation))
  }
  logging_config {
    log_group        = aws_cloudwatch_log_group.rotation[0].name
    log_format       = "JSON"
    system_log_level = "WARN"
  }
  depends_on = [aws_iam_role_policy.rotation]
  lifecycle {
    precondition {
      condition     = !contains([1, 3, 5, 7], var.log_retention_days)
      error_message = "token_rotation_days requires log_retention_days 14 or more, because the log confirms that an old token is silent."
    }
    precondition {
      condition     = !local.conditions.has_dns_record
      error_message = "token_rotation_days requires dns_record none; with two regions, run podgraft fleet rotate."
    }
  }
}

resource "aws_iam_role" "rotation" {
  count                = local.conditions.rotates ? 1 : 0
  name_prefix          = "${substr(var.name, 0, 27)}-rotation-"
  description          = "Permissions of the rotation of tokens"
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

resource "aws_iam_role_policy" "rotation" {
  count = local.conditions.rotates ? 1 : 0
  name  = "rotation"
  role  = aws_iam_role.rotation[0].id
  policy = jsonencode(merge(local.rotation_permissions.rotation, {
    Statement = concat(
      local.rotation_permissions.rotation.Statement,
      [for each in local.rotation_permissions.encryption.Statement : each if local.conditions.has_kms_key],
    )
  }))
}

resource "aws_cloudwatch_log_group" "rotation" {
  count             = local.conditions.rotates ? 1 : 0
  name              = "/aws/lambda/${var.name}-rotation"
  retention_in_days = var.log_retention_days
  kms_key_id        = local.conditions.has_kms_key ? var.kms_key_arn : null
  tags              = local.tags
}

resource "aws_cloudwatch_event_rule" "rotation" {
  count               = local.conditions.rotates ? 1 : 0
  name                = "${var.name}-rotation"
  description         = "Rotation of tokens of podgraft"
  schedule_expression = "rate(1 hour)"
  tags                = local.tags
}

resource "aws_cloudwatch_event_target" "rotation" {
  count     = local.conditions.rotates ? 1 : 0
  rule      = aws_cloudwatch_event_rule.rotation[0].name
  target_id = "rotation"
  arn       = aws_lambda_function.rotation[0].arn
  input     = "{}"
}

resource "aws_lambda_permission" "rotation" {
  count         = local.conditions.rotates ? 1 : 0
  function_name = aws_lambda_function.rotation[0].function_name
  action        = "lambda:InvokeFunction"
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.rotation[0].arn
}
